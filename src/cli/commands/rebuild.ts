import { orThrow, type Progress } from 'claviger'
import { type Command, type CommandCall, print } from '../command.js'
import { DATABASE, openDatabase, openIam } from '../database.js'

export const rebuild: Command = {
  help: `Usage: claviger rebuild [options]

Empties the read model and rebuilds it from the log. Programs may keep writing:
their events are applied too. Until the end, eventual reads find only what was
applied so far, and strong reads wait. After an interruption it starts again, or
continues with --resume.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --resume        continues where the read model is, and empties nothing
  --json          the result as a line of JSON`,
  options: { ...DATABASE, resume: { type: 'boolean' } },
  positionals: [0, 0],
  run: async (call) => {
    const { values, signal } = call
    await using database = await openDatabase(call)
    const { readModel } = database
    if (!values['resume']) await readModel.reset()
    const begin = performance.now()
    const progress = showProgress(call)
    try {
      const { onProgress } = progress
      const position = await orThrow(openIam(database).catchUp(readModel, { signal, onProgress }))
      const seconds = Math.round((performance.now() - begin) / 1000)
      const events = progress.done()
      await print(
        call,
        { events, position: String(position), seconds },
        `${numbered(events)} events applied in ${duration(seconds)}`,
      )
    } finally {
      progress.end()
    }
    return 0
  },
}

/** How often the progress is shown, in milliseconds: in place on a terminal, as lines of a log elsewhere. */
const IN_PLACE_MS = 1_000
const AS_LINES_MS = 10_000

/** Shows the progress by the clock, so that it also shows when nothing happens. */
const showProgress = ({ terminal }: CommandCall) => {
  const progress = progressTexts()
  let done = 0
  const show = () => {
    const text = progress.textAt(performance.now())
    if (text === undefined) return
    if (terminal.isInPlace) terminal.progress(text)
    else terminal.note(text)
  }
  const timer = setInterval(show, terminal.isInPlace ? IN_PLACE_MS : AS_LINES_MS)
  return {
    onProgress: (reached: Progress) => {
      done = reached.done
      progress.add(reached, performance.now())
    },
    done: () => done,
    end: () => clearInterval(timer),
  }
}

/** The estimate uses the last 10 seconds, because a read model fills more slowly as its indexes grow, and in bursts. */
const WINDOW_MS = 10_000

/** Texts that show how far a rebuild is, and how long the rest takes at the pace of the last seconds. */
export const progressTexts = () => {
  /** The last one that is older than the window, and those since. */
  const samples: { readonly at: number; readonly done: number }[] = []
  let total: number | undefined
  return {
    add: (progress: Pick<Progress, 'done' | 'total'>, at: number): void => {
      total = progress.total
      samples.push({ at, done: progress.done })
    },
    /** Undefined before the first progress. */
    textAt: (now: number): string | undefined => {
      while (samples[1] !== undefined && samples[1].at <= now - WINDOW_MS) samples.shift()
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last) return undefined
      const { done } = last
      const count = total === undefined ? '' : ` of ${numbered(total)}`
      const rate = ((done - first.done) * 1000) / Math.max(1, now - first.at)
      const text = `${numbered(done)}${count} events`
      if (samples.length === 1)
        return now - last.at < WINDOW_MS ? text : `${text}, none in the last 10 s`
      const pace = `${text}, ${numbered(Math.round(rate))} a second`
      if (total === undefined) return pace
      if (done >= total) return `${pace}, now the events recorded meanwhile`
      return `${pace}, about ${duration(Math.ceil((total - done) / rate))} left`
    },
  }
}

const numbered = (count: number): string => count.toLocaleString('en-US')

/** Whole seconds; minutes and hours without what is too exact for an estimate. */
const duration = (seconds: number): string => {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
