// Prints how many tests passed and failed according to reports of the test runner. A report that is missing, or that
// says of no test why its run failed, counts as one that failed.
import { readFileSync } from 'node:fs'

let passed = 0
let failed = 0
for (const path of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    passed += report.numPassedTests
    failed += report.numFailedTests + (report.success || report.numFailedTests > 0 ? 0 : 1)
  } catch {
    failed++
  }
}
console.log(passed, failed)
