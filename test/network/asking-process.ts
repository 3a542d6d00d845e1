// Asks a server on this machine for the paths /0, /1 and so on, and prints what became of each request.
import { NetworkFault } from '../../src/network/fault.js'
import { guardedFetch } from '../../src/network/guarded-fetch.js'
import type { Asked } from './raw-answers.js'

const [port, count = 0, timeout] = process.argv.slice(2).map(Number)
const ask = guardedFetch({ allowHttpLoopback: true, timeout })

const asked = async (number: number): Promise<Asked> => {
  try {
    const response = await ask(`http://127.0.0.1:${port}/${number}`)
    // A host may look at nothing but the status.
    if (number % 7 === 3) return { status: response.status }
    const body = await response.text()
    return { status: response.status, length: body.length, text: body.slice(0, 20) }
  } catch (thrown) {
    return thrown instanceof NetworkFault ? { reason: thrown.reason } : { unexpected: `${thrown}` }
  }
}

const results: Asked[] = []
let next = 0
const work = async () => {
  while (next < count) {
    const number = next++
    results[number] = await asked(number)
  }
}
await Promise.all(Array.from({ length: 20 }, work))
process.stdout.write(JSON.stringify(results))
