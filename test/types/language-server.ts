import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CompilerOptions } from 'typescript'
import type { Editor } from './editor.js'
import { root } from './options.js'

/** What the language server protocol is spoken of here. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: readonly unknown[] }
  readonly result?: unknown
  readonly error?: unknown
}

interface Place {
  readonly line: number
  readonly character: number
}

interface Hover {
  readonly contents: { readonly value: string }
}

interface Report {
  readonly items: readonly {
    readonly range: { readonly start: Place; readonly end: Place }
    readonly message: string
  }[]
}

/** JSON-RPC over the standard streams of `server`: https://microsoft.github.io/language-server-protocol */
const connect = (server: ChildProcessWithoutNullStreams) => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  let unread = Buffer.alloc(0)
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const receive = ({ id, method, params, result, error }: Message): void => {
    if (id === undefined) return
    // What the server asks for, such as settings, is answered with nothing.
    if (method !== undefined) send({ id, result: params?.items?.map(() => null) ?? null })
    else if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(JSON.stringify(error)))
  }
  server.stdout.on('data', (data: Buffer) => {
    unread = Buffer.concat([unread, data])
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/.exec(
        unread.toString('latin1', 0, 200),
      )
      const end = head ? head[0].length + Number(head[1]) : Number.POSITIVE_INFINITY
      if (!head || unread.length < end) return
      receive(JSON.parse(unread.toString('utf8', head[0].length, end)))
      unread = unread.subarray(end)
    }
  })
  const ask = (method: string, params?: object): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>()
    waiting.set(++last, answer)
    send({ id: last, method, params })
    return answer.promise
  }
  return { ask, tell: (method: string, params?: object) => send({ method, params }) }
}

const placeOf = (source: string, position: number): Place => {
  const lines = source.slice(0, position).split('\n')
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
}

const positionOf = (source: string, { line, character }: Place): number =>
  source.split('\n').slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + character

/** A code block, then what it is about. */
const HOVER = /^```\w*\n(.*?)\n```\n?(.*)$/s

/** The language server of version 7, which has no other interface. */
export const languageServer = async (compilerOptions: CompilerOptions = {}): Promise<Editor> => {
  // A folder for each set of options: tests run side by side.
  const folder = join(root, 'reports', ['types', ...Object.keys(compilerOptions)].join('-'))
  await mkdir(folder, { recursive: true })
  const project = {
    extends: '../../tsconfig.json',
    // Without `paths`, names of the package lead to `dist`, as in a host.
    compilerOptions: { paths: {}, ...compilerOptions },
    include: ['./*.ts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const server = spawn(join(root, 'node_modules/.bin/tsc'), ['--lsp', '--stdio'])
  const { ask, tell } = connect(server)
  const rootUri = pathToFileURL(root).href
  const hover = { contentFormat: ['markdown'] }
  await ask('initialize', {
    processId: process.pid,
    rootUri,
    capabilities: { textDocument: { hover } },
  })
  tell('initialized', {})

  let opened = 0
  /** Shows `text` to the server as a file of its own. */
  const open = (text: string): { readonly uri: string } => {
    const { href: uri } = pathToFileURL(join(folder, `host-${process.pid}-${++opened}.ts`))
    tell('textDocument/didOpen', {
      textDocument: { uri, languageId: 'typescript', version: 1, text },
    })
    return { uri }
  }
  return {
    quickInfo: async (source, positions) => {
      const textDocument = open(source)
      const places = positions.map((position) => placeOf(source, position))
      const answers = await Promise.all(
        places.map((position) => ask('textDocument/hover', { textDocument, position })),
      )
      return answers.map((answer) => {
        const [, signature = '', documentation = ''] =
          HOVER.exec((answer as Hover | null)?.contents.value ?? '') ?? []
        return { signature, documentation: documentation.trim() }
      })
    },
    objections: async (source) => {
      const report = await ask('textDocument/diagnostic', { textDocument: open(source) })
      return (report as Report).items.map(({ range: { start, end }, message }) => ({
        line: start.line + 1,
        at: source.slice(positionOf(source, start), positionOf(source, end)),
        message,
      }))
    },
    close: async () => {
      const closed = once(server, 'close')
      await ask('shutdown')
      tell('exit')
      await closed
    },
  }
}
