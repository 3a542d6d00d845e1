import { readFile } from 'node:fs/promises'
import { Failed } from './command.js'

/** The text of a file. @throws Failed */
export const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    const { code } = Object(cause)
    throw new Failed(`The file ${file} cannot be read${code ? ` (${code})` : ''}`)
  })

/** The value of a file of JSON. @throws Failed */
export const readJson = async (file: string): Promise<unknown> => {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch {
    throw new Failed(`The file ${file} is not JSON`)
  }
}
