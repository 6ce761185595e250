-- As whom HAProxy looks whether a node takes statements. It has no rights, and cannot keep a node busy.
CREATE USER IF NOT EXISTS checker@'%' WITH MAX_USER_CONNECTIONS 20 MAX_STATEMENT_TIME 1;
