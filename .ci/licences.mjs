// Holds the licences of what hosts install with us to a list, by the lock file.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ALLOWED = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']

const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8'))
const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev)
const refused = installed.filter(([, { license }]) => !ALLOWED.includes(license))
for (const [path, { license }] of refused) console.error(`${path}: ${license ?? 'no licence'}`)
console.log(
  `Licences: ${installed.length - refused.length} of ${installed.length} packages are fine`,
)
process.exitCode = installed.length > 0 && refused.length === 0 ? 0 : 1
