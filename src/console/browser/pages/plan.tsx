import { useState } from 'preact/hooks'
import { accessService } from '../../../transport/wire.js'
import type { FieldChange, Impact, Json } from '../api.js'
import { Button } from '../button.js'
import { Changes, Consequences, InProject, NameLink } from '../display.js'
import { ReasonField } from '../form.js'
import { RolesOf } from '../names.js'
import { FailureNotice } from '../notice.js'
import { objectTypes } from '../object-types.js'
import { useAnyPermission } from '../permissions.js'
import { say, texts } from '../texts.js'
import { useWrite } from '../write.js'

const EXAMPLE = `{
  "projects": [
    { "id": "portal", "name": "Portal", "roles": [{ "roleKey": "editor", "displayName": "Editor" }] }
  ]
}`

interface ObjectChange {
  readonly action: string
  readonly object: Json
  readonly fields?: readonly FieldChange[]
  readonly impact?: Impact
}

interface PlanBody {
  readonly counts?: Readonly<Record<string, number>>
  readonly changes?: readonly ObjectChange[]
  readonly undeclared?: readonly Json[]
}

interface Result {
  readonly body: PlanBody
  readonly isApplied: boolean
  /** The planned or applied desired state. */
  readonly text: string
}

/** A plan, for callers who may change anything. */
export const Plan = () =>
  useAnyPermission('.write') ? (
    <PlanForm />
  ) : (
    <article>
      <h1>{texts.plan}</h1>
      <p class="notice">{texts.nothingToSee}</p>
    </article>
  )

/** Shows what a desired state would change, then applies it. Nothing of it is kept in the browser or in a URL. */
const PlanForm = () => {
  const [text, setText] = useState('')
  const { send, failure } = useWrite()
  const [isWrong, setWrong] = useState(false)
  const [result, setResult] = useState<Result | undefined>()
  const [reason, setReason] = useState('')
  const run = async (isApplied: boolean) => {
    const desired = parsed(text)
    setWrong(desired === undefined)
    setResult(undefined)
    if (desired === undefined) return
    const body = { ...desired, ...(isApplied && reason && { reason }), validateOnly: !isApplied }
    const planned = await send<PlanBody>(accessService.applyAccess, body)
    if (planned) setResult({ body: planned, isApplied, text })
  }
  // Only the plan that is shown can be applied, so it goes when the text changes.
  const current = result?.text === text ? result : undefined
  const canApply = current && !current.isApplied && changesOf(current.body).length > 0
  return (
    <article>
      <h1>{texts.plan}</h1>
      <p>{texts.planAbout}</p>
      <div class="field">
        <label for="desired">{texts.desired}</label>
        <textarea
          id="desired"
          rows={12}
          spellcheck={false}
          placeholder={EXAMPLE}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          aria-invalid={isWrong}
          aria-describedby="desired-error"
        />
        <p class="error" id="desired-error">
          {isWrong && texts.notJson}
        </p>
      </div>
      <div class="field">
        <label for="file">{texts.file}</label>
        <input
          id="file"
          type="file"
          accept=".json,application/json"
          onChange={async ({ currentTarget }) =>
            setText((await currentTarget.files?.[0]?.text()) ?? '')
          }
        />
      </div>
      {canApply && <ReasonField reason={reason} change={setReason} />}
      <div class="actions start">
        <Button text={texts.planPreview} look="primary" onClick={() => void run(false)} />
        {canApply && <Button text={texts.apply} onClick={() => void run(true)} />}
      </div>
      {failure && !isWrong && <FailureNotice failure={failure} />}
      <div role="status">{current && <Outcome {...current} />}</div>
    </article>
  )
}

const changesOf = ({ changes = [] }: PlanBody): readonly ObjectChange[] =>
  changes.filter(({ action }) => action !== 'unchanged')

/** The changes of a desired state, planned or applied. */
const Outcome = ({ body, isApplied }: Result) => {
  const { counts = {}, undeclared = [] } = body
  const changes = changesOf(body)
  return (
    <>
      {isApplied && <p class="notice">{texts.applied}</p>}
      <p class="badges">
        {Object.entries(counts).map(
          ([action, count]) =>
            count > 0 && (
              <span key={action} class={`badge ${action}`}>
                {say(texts.actionCount, { action: texts.actions[action] ?? action, count })}
              </span>
            ),
        )}
      </p>
      {changes.length === 0 && <p class="empty">{texts.planNothing}</p>}
      <ol class="timeline">
        {changes.map(({ action, object, fields, impact }) => (
          <li>
            <p>
              <span class={`badge ${action}`}>{texts.actions[action] ?? action}</span>{' '}
              <Named object={object} />
            </p>
            {texts.obstacles[action] && <p>{texts.obstacles[action]}</p>}
            <RolesOf object={object}>
              <Changes changes={fields} />
              <Consequences impact={impact} />
            </RolesOf>
          </li>
        ))}
      </ol>
      {undeclared.length > 0 && (
        <details>
          <summary>{say(texts.undeclared, { count: undeclared.length })}</summary>
          <ul>
            {undeclared.map((object) => (
              <li>
                <Named object={object} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const Named = ({ object }: { readonly object: Json }) => (
  <>
    {objectTypes.find(({ type }) => type === object['type'])?.title} <NameLink object={object} />
    <InProject object={object} />
  </>
)

const parsed = (text: string): Json | undefined => {
  try {
    const value: Json | null = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? (value ?? undefined) : undefined
  } catch {
    return undefined
  }
}
