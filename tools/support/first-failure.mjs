import { writeFileSync } from 'node:fs';

/** A reporter of Jest that ends the run at the first test that fails, and writes into `file` which one it was. */
export default class FirstFailure {
  constructor(_, { file }) {
    this.file = file;
  }

  onTestCaseResult({ path }, { status, fullName }) {
    if (status === 'failed') this.end({ path, test: fullName });
  }

  onTestFileResult({ path }, { testExecError, failureMessage }) {
    if (testExecError) this.end({ path, broken: failureMessage });
  }

  end(failure) {
    writeFileSync(this.file, JSON.stringify(failure));
    process.exit(1);
  }
}
