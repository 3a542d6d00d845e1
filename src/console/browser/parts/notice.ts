import type { Failure } from '../state/api.js'
import { texts } from '../texts.js'
import { html } from './html.js'

const textOf = ({ status, reason, message, metadata, violations }: Failure): string => {
  if (status === 0) return texts.offline
  if (status === 503) return texts.unavailable
  if (status === 401) return texts.signedOut
  if (reason === 'PERMISSION_DENIED')
    return texts.denied(metadata['permission'] ?? '', metadata['orgId'] ?? '')
  if (reason === 'NOT_FOUND') return texts.missing
  const fields = violations.map(({ field, description }) => `${field} ${description}`).join('; ')
  return texts.failed(fields ? `${message}: ${fields}` : message, metadata['correlationId'] ?? '')
}

/** Why something is not there, and what to do about it. */
export const FailureNotice = ({
  failure,
  retry,
}: {
  readonly failure: Failure
  readonly retry?: () => void
}) =>
  html`<div class="notice bad" role="alert"><p>${textOf(failure)}</p>
    ${retry && (failure.status === 0 || failure.status >= 500) && html`<button type="button" onClick=${retry}>${texts.retry}</button>`}</div>`

export const Loading = () => html`<p class="none" role="status">${texts.loading}</p>`

/** Why something may not be changed. It is no error: the page is there to be read. */
export const Denied = ({
  failure,
  isNew,
}: {
  readonly failure: Failure
  readonly isNew?: boolean
}) => {
  const permission = failure.metadata['permission'] ?? ''
  return html`<p class="none">${isNew ? texts.addNeeds(permission) : texts.readOnly(permission)}</p>`
}
