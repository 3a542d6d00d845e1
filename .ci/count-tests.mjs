// Prints how many tests passed and failed according to a report of the test runner; 0 and 1 without one.
import { readFileSync } from 'node:fs'

try {
  const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
  const failed = report.numFailedTests + (report.success || report.numFailedTests > 0 ? 0 : 1)
  console.log(report.numPassedTests, failed)
} catch {
  console.log(0, 1)
}
