import { useEffect, useState } from 'preact/hooks'
import type { Failure } from './api.js'
import { Button } from './button.js'
import type { Reading } from './csv.js'
import { organizationNameOf } from './known.js'
import type { Query } from './query.js'
import { fieldName, say, sayCount, texts } from './texts.js'

/** Why a call failed, as a sentence. */
export const sayFailure = (failure: Failure): string => {
  const { status, reason, message, metadata, object, violations } = failure
  if (status === 0) return texts.offline
  if (status === 503) return texts.unavailable
  if (status === 401) return texts.signedOut
  if (reason === 'PERMISSION_DENIED') return say(texts.denied, deniedOf(metadata))
  if (reason === 'NOT_FOUND') return texts.missing
  const fields = violations
    .map(({ field, description }) => `${fieldName(field)} ${sayViolation(description)}`)
    .join('; ')
  const sentence = say(texts.refusals[reason] ?? message, { ...metadata, object })
  const said = fields ? `${sentence}: ${fields}` : sentence
  const { correlationId: id } = metadata
  return id ? say(texts.failed, { message: said, id }) : said
}

/** What is wrong with a field, in the language of the page. */
export const sayViolation = (description: string): string => {
  const numbers = description.match(/\d+/g) ?? []
  const text = texts.violations[description.replace(/\d+/g, '#')]
  return text?.replace(/#/g, () => numbers.shift() ?? '') ?? description
}

const deniedOf = ({ permission = '', orgId = '' }: Failure['metadata']) => ({
  permission,
  org: organizationNameOf(orgId),
})

interface FailureNoticeProps {
  readonly failure: Failure
  readonly retry?: () => void
}

/** Why a call failed, and what to do about it. */
export const FailureNotice = ({ failure, retry }: FailureNoticeProps) => (
  // A missing permission is not a fault.
  <div class={failure.status === 403 ? 'notice' : 'notice bad'} role="alert">
    <p>{sayFailure(failure)}</p>
    {retry && (failure.status === 0 || failure.status >= 500) && (
      <Button text={texts.retry} onClick={retry} />
    )}
  </div>
)

interface MoreProps {
  readonly query: Pick<Query, 'hasMore' | 'more' | 'failure'>
  readonly text?: string
}

/** Shows more rows of a query, and why they could not be read. */
export const More = ({ query, text = texts.more }: MoreProps) =>
  query.hasMore && (
    <>
      {query.failure && <FailureNotice failure={query.failure} />}
      <Button text={text} onClick={query.more} />
    </>
  )

interface WaitingProps {
  readonly query: Pick<Query, 'body' | 'failure' | 'reload'>
  /** What comes: it takes about the room of that. Default: rows. */
  readonly of?: 'rows' | 'facts' | 'line'
}

/** Shown while a query is loading, or after it failed. */
export const Waiting = ({ query, of = 'rows' }: WaitingProps) => {
  if (query.failure) return <FailureNotice failure={query.failure} retry={query.reload} />
  return query.body ? null : <Skeleton of={of} />
}

export const Skeleton = ({ of }: Required<Pick<WaitingProps, 'of'>>) => (
  <p class={`skeleton ${of}`} role="status">
    <span>{texts.loading}</span>
  </p>
)

interface ExportButtonProps {
  /** Saves a file, or returns why it could not. */
  readonly save: (reading: Reading) => Promise<Failure | undefined>
}

/** Saves rows as a file: tells how far it is, can be cancelled, and says why it could not be saved. */
export const ExportButton = ({ save }: ExportButtonProps) => {
  const [failure, setFailure] = useState<Failure | undefined>()
  const [running, setRunning] = useState<AbortController | undefined>()
  const [count, setCount] = useState(0)
  const run = async () => {
    const controller = new AbortController()
    const { signal } = controller
    setRunning(controller)
    setFailure(undefined)
    setCount(0)
    const found = await save({ signal, progress: setCount })
    setRunning(undefined)
    if (!signal.aborted) setFailure(found)
  }
  useEffect(() => () => running?.abort(), [running])
  const read = failure?.count ?? 0
  return (
    <>
      {running ? (
        <span class="no-print">
          <span role="status">{sayCount(texts.exporting, count)}</span>{' '}
          <Button text={texts.cancel} onClick={() => running.abort()} />
        </span>
      ) : (
        <Button text={texts.csv} look="no-print" onClick={run} />
      )}
      {failure && read > 0 && <p class="error">{sayCount(texts.exportEnded, read)}</p>}
      {failure && <FailureNotice failure={failure} retry={run} />}
    </>
  )
}
