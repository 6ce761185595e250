import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';

/** Stands in for the sessions of a real application. */
const USER_OF_TOKEN: Record<string, string> = { 'token-of-ada': 'ada', 'token-of-bob': 'bob' };

/** A request that has passed the guard. */
export interface UserRequest {
  headers: { authorization?: string };
  user: string;
}

@Injectable()
export class UserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<UserRequest>();
    const user = USER_OF_TOKEN[request.headers.authorization?.replace('Bearer ', '') ?? ''];
    if (!user) throw new UnauthorizedException();
    request.user = user;
    return true;
  }
}
