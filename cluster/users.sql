-- As whom HAProxy looks whether a node takes statements. It has no rights.
CREATE USER IF NOT EXISTS checker@'%';
