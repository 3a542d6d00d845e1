// Loaded before the example: TXT records come from a server of the test, and names of `inside.example` lead here.
import dns, { promises } from 'node:dns'
import { flushCompileCache, syncBuiltinESMExports } from 'node:module'

const resolveTxt = async (name: string): Promise<string[][]> => {
  const answer = await fetch(`${process.env['TXT_RECORDS']}${name}`)
  return [[await answer.text()]]
}
Object.assign(promises, { resolveTxt })
const { lookup } = dns
const leadingHere = (name: string, ...rest: [never, never]) =>
  lookup(name.endsWith('.inside.example') ? 'localhost' : name, ...rest)
Object.assign(dns, { lookup: leadingHere })
syncBuiltinESMExports()

// A process that is killed leaves nothing compiled for the next one.
setTimeout(flushCompileCache, 1_000).unref()
