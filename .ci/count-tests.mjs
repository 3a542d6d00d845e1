// Prints how many tests passed and failed according to reports of the test runner, and to the standard error output what
// failed. A report that is missing, or that says of no test why its run failed, counts as one that failed.
import { readFileSync } from 'node:fs'

let passed = 0
let failed = 0
for (const path of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    passed += report.numPassedTests
    failed += report.numFailedTests + (report.success || report.numFailedTests > 0 ? 0 : 1)
    for (const { name, message, assertionResults } of report.testResults) {
      if (message) console.error(`FAILED ${name}\n${message}`)
      for (const { status, fullName, failureMessages } of assertionResults) {
        if (status === 'failed')
          console.error(`FAILED ${name}: ${fullName}\n${failureMessages.join('\n')}`)
      }
    }
  } catch (error) {
    failed++
    console.error(`FAILED ${path}: ${error}`)
  }
}
console.log(passed, failed)
