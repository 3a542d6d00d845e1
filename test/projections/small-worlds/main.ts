// Compares small worlds in a process of its own, which may have a planted bug: `node --import
// ../../simulation/register.mjs main.ts 0 1000` those from 0 to below 1000; without numbers a world of each class.
import { firstDifference } from './compared.js'
import { everyClass } from './worlds.js'

const [from, to] = process.argv.slice(2).map(Number)
const numbers =
  from === undefined || to === undefined
    ? [...everyClass()]
    : Array.from({ length: to - from }, (_, index) => from + index)
const found = await firstDifference(numbers)
process.stdout.write(`${found ?? `${numbers.length} worlds agree`}\n`)
