import { Injectable } from '@nestjs/common';
import { type EntityManager, MoreThan } from 'typeorm';
import { Database } from '../store/database.js';
import { type MoveState, UserMoveEntity } from '../store/tables/access/user-move.entity.js';
import { checkUnmoved } from './user-moved.js';

/** What changes of a user's row with a step of a move. */
export interface MoveStep extends Partial<Pick<UserMoveEntity, 'departure' | 'arrival'>> {
  state: MoveState;
}

/** Who has moved to another cell, or is moving. */
@Injectable()
export class UserMoves {
  constructor(private readonly database: Database) {}

  /**
   * Has to run in every transaction that changes what a move takes along: webhooks, their events and secrets, and API keys.
   * None of them commits between the export and the end of the move: both lock the user.
   *
   * @throws Problem 409 `user_moved`
   */
  async checkStays(manager: EntityManager, userId: string): Promise<void> {
    checkUnmoved(await this.findLocked(manager, userId));
  }

  /** Locks the user, also one without a row, until the manager's transaction ends. */
  async findLocked(manager: EntityManager, userId: string): Promise<UserMoveEntity | null> {
    await this.database.lock(manager, `webhooks of ${userId}`);
    return manager.findOneBy(UserMoveEntity, { userId });
  }

  /** @returns null for a user who never moved. */
  find(userId: string): Promise<UserMoveEntity | null> {
    return this.database.run((manager) => manager.findOneBy(UserMoveEntity, { userId }));
  }

  /** The rows that were written since a version, the oldest change first. */
  changedSince(version: number): Promise<UserMoveEntity[]> {
    return this.database.run((manager) =>
      manager.find(UserMoveEntity, { where: { version: MoreThan(version) }, order: { version: 'ASC' } }),
    );
  }

  /** Takes a step of a move, for a user whom the manager's transaction has locked. @param now epoch milliseconds. */
  async step(
    manager: EntityManager,
    before: UserMoveEntity | null,
    { userId, now, ...step }: MoveStep & { userId: string; now: number },
  ): Promise<void> {
    // Versions must become visible in their order, or a process would miss one.
    await this.database.lock(manager, 'versions of moves');
    const newest = (await manager.maximum(UserMoveEntity, 'version')) ?? 0;
    const row = {
      departure: null,
      arrival: null,
      ...before,
      ...step,
      userId,
      version: newest + 1,
      changedAt: now,
    };
    await manager.save(UserMoveEntity, row);
  }
}
