import { Body, Controller, Param, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiProperty } from '@nestjs/swagger';
import { UserGuard, type UserRequest } from '../user.guard.js';
import { RecordsService } from './records.service.js';

class NewRecord {
  @ApiProperty() name!: string;
  @ApiProperty({ description: 'Kinds of the analyses to make', example: ['identity'] }) analyses!: string[];
}

class Result {
  @ApiProperty({ description: 'Id of the analysis' }) id!: string;
  @ApiProperty({ example: 'VALID' }) status!: string;
}

class Results {
  @ApiProperty({ type: [Result] }) results!: Result[];
}

class NewStatus {
  @ApiProperty({ example: 'APPROVED' }) status!: string;
}

@ApiBearerAuth()
@UseGuards(UserGuard)
@Controller('records')
export class RecordsController {
  constructor(private readonly records: RecordsService) {}

  @Post()
  create(@Req() { user }: UserRequest, @Body() { name, analyses }: NewRecord) {
    return this.records.create(user, name, analyses);
  }

  @Post(':id/results')
  finish(@Req() { user }: UserRequest, @Param('id') id: string, @Body() { results }: Results) {
    return this.records.finish(user, id, results);
  }

  @Patch(':id')
  changeStatus(@Req() { user }: UserRequest, @Param('id') id: string, @Body() { status }: NewStatus) {
    return this.records.changeStatus(user, id, status);
  }
}
