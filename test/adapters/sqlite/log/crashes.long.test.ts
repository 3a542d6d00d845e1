import { expect, test } from 'vitest'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import type { Answer } from '../../../processes/writer.js'
import { checkLog, makeShared, startWriting } from '../../../processes/writing.js'
import { temporaryFile } from '../temporary-file.js'

const ROUNDS = 20

/** Half of the commands of four writers are answered when they are killed. */
const COMMANDS = 30

test('Writers killed under load lose no answered append, and record none in part or twice.', async () => {
  const place = { file: temporaryFile() }
  await makeShared(place)
  const answers: Answer[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const tasks = [1, 2].map((n) => ({
      place,
      name: `r${round}p${n}`,
      writers: 4,
      commands: COMMANDS,
    }))
    const killed = tasks.map(startWriting)
    await Promise.all(killed.map(({ answered }) => answered(60)))
    for (const { kill } of killed) await kill()
    // Started again, they repeat every command under its key, those that were answered too.
    const again = tasks.map(startWriting)
    await Promise.all(again.map(({ ended }) => ended))
    for (const { answers: all } of again) expect(all.length).toBe(4 * COMMANDS)
    answers.push(...[...killed, ...again].flatMap(({ answers }) => answers))
  }
  await using opened = openSqlite(place.file)
  await checkLog(opened.store, answers)
}, 600_000)
