// Another program that keeps an SQLite file to itself, again and again: the file, and for how many
// milliseconds at the most. Ends only when it is killed.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

const [file = '', longest = ''] = process.argv.slice(2)
const database = new DatabaseSync(file, { timeout: 1_000 })
for (;;) {
  await pause(500 * Math.random())
  try {
    database.exec('BEGIN IMMEDIATE')
    await pause(Number(longest) * Math.random())
    database.exec('ROLLBACK')
  } catch {
    // The others were faster.
  }
}
