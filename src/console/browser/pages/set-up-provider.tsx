import { useState } from 'preact/hooks'
import { identityProviderService } from '../../../transport/wire.js'
import type { StoredObject } from '../api.js'
import { Button, CopyButton } from '../button.js'
import { TextField } from '../form.js'
import { FailureNotice } from '../notice.js'
import { useQuery } from '../query.js'
import { fieldName, Say, texts } from '../texts.js'
import { useWrite } from '../write.js'

/** Issuers that are the same for everybody. */
const ISSUERS: Readonly<Record<string, string>> = {
  google: 'https://accounts.google.com',
  jumpcloud: 'https://oauth.id.jumpcloud.com/',
}

const SCOPES = 'openid email profile'

interface ProviderStepProps {
  readonly providers: readonly StoredObject[]
  /** Whether the providers are being read again: a form would begin with values of before. */
  readonly isReading: boolean
  readonly chosen: StoredObject | undefined
  readonly choose: (idpId: string) => void
  /** Whether none can be added. */
  readonly isFixed: boolean
  /** The id of the provider of a link; absent in the console, where another can be chosen. */
  readonly ownId?: string | undefined
}

/** Connects a provider, or continues with one that was connected before. */
export const ProviderStep = (props: ProviderStepProps) => {
  const { providers, isReading, chosen, choose, isFixed, ownId } = props
  const [kind, setKind] = useState('')
  const [drawn] = useState(drawId)
  const [isEditing, setEditing] = useState(false)
  if (chosen && !isEditing)
    return (
      <>
        <p class="notice" role="status">
          <Say text={texts.setUp.connected} provider={<bdi>{String(chosen['name'])}</bdi>} />
        </p>
        {ownId && !isFixed && chosen['state'] !== ACTIVE && (
          <Button text={texts.edit} isOff={isReading} onClick={() => setEditing(true)} />
        )}
      </>
    )
  const idpId = ownId ?? `${kind}-${drawn}`
  const done = () => {
    setEditing(false)
    choose(idpId)
  }
  return (
    <>
      {!ownId && providers.length > 0 && (
        <p class="actions start">
          {texts.setUp.goOn}{' '}
          {providers.map((each) => (
            <button key={each['idpId']} type="button" onClick={() => choose(String(each['idpId']))}>
              <bdi>{String(each['name'])}</bdi>
            </button>
          ))}
        </p>
      )}
      {isFixed && (ownId || providers.length === 0) && <p class="none">{texts.setUp.noProvider}</p>}
      {!isFixed && !chosen && (
        <fieldset class="kinds">
          <legend>{texts.setUp.which}</legend>
          {Object.entries(texts.setUpKinds).map(([each, name]) => (
            <label key={each} class="flag">
              <input
                type="radio"
                name="kind"
                checked={each === kind}
                onChange={() => setKind(each)}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
      {(kind || chosen) && (
        <ProviderForm key={kind} kind={kind} idpId={idpId} before={chosen} done={done} />
      )}
    </>
  )
}

const ACTIVE = 'STATE_ACTIVE'

/** `randomUUID` would need a secure context. */
const drawId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(5))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

interface ProviderFormProps {
  /** Whose steps to show; empty for none. */
  readonly kind: string
  readonly idpId: string
  /** The provider to change; a new one is added when absent. */
  readonly before: StoredObject | undefined
  readonly done: () => void
}

/** The steps at the provider, and the form for its values. */
const ProviderForm = ({ kind, idpId, before, done }: ProviderFormProps) => {
  const { body } = useQuery(`/setUp?${new URLSearchParams({ idp_id: idpId })}`)
  const { send, failure, isBusy } = useWrite()
  const text = (field: string, initial: string) => String(before?.[field] ?? initial)
  const [name, setName] = useState(
    text('name', kind === 'other' ? '' : (texts.setUpKinds[kind] ?? '')),
  )
  const [issuer, setIssuer] = useState(text('issuer', ISSUERS[kind] ?? ''))
  const [clientId, setClientId] = useState(text('clientId', ''))
  const [clientSecret, setClientSecret] = useState('')
  const [scopes, setScopes] = useState(text('scopes', SCOPES).replaceAll(',', ' '))
  const [autoRegister, setAutoRegister] = useState(before?.['autoRegister'] === true)
  const redirectUri = body?.['redirectUri']
  // A stored secret is sent to the issuer alone that it was given for.
  const hasSecret = before?.['issuer'] === issuerOf(issuer)
  const connect = async (event: Event) => {
    event.preventDefault()
    const fields = {
      name,
      issuer: issuerOf(issuer),
      clientId: clientId.trim(),
      ...(clientSecret.trim() && { clientSecret: clientSecret.trim() }),
      scopes: scopes.split(/\s+/).filter(Boolean),
      autoRegister,
    }
    const { addOidcIdentityProvider, patchIdentityProvider } = identityProviderService
    const saved = before
      ? await send(patchIdentityProvider, { idpId, ...fields })
      : await send(addOidcIdentityProvider, { idpId, ...fields })
    if (saved) done()
  }
  const shownUri = redirectUri ? (
    <>
      <code>{String(redirectUri)}</code> <CopyButton text={String(redirectUri)} />
    </>
  ) : (
    <em>{texts.setUp.noRedirectUri}</em>
  )
  const lines = (texts.setUpSteps[kind] ?? '').split('\n')
  return (
    <form onSubmit={connect}>
      <ol class="guide">
        {kind === '' && <li>{shownUri}</li>}
        {lines.filter(Boolean).map((line) => (
          <li key={line}>
            <Say text={line} redirectUri={shownUri} />
          </li>
        ))}
      </ol>
      <TextField label={texts.setUp.name} value={name} change={setName} />
      <TextField
        label={texts.setUp.issuer}
        hint={texts.setUp.issuerHint}
        value={issuer}
        change={(text) => setIssuer(issuerOf(text))}
      />
      <TextField label={texts.setUp.clientId} value={clientId} change={setClientId} />
      <TextField
        label={fieldName('clientSecret')}
        isSecret
        isOptional={hasSecret}
        {...(hasSecret && { hint: texts.secretHint })}
        value={clientSecret}
        change={setClientSecret}
      />
      <TextField label={fieldName('scopes')} value={scopes} change={setScopes} />
      <div class="field">
        <label class="flag">
          <input
            type="checkbox"
            checked={autoRegister}
            onChange={({ currentTarget }) => setAutoRegister(currentTarget.checked)}
          />
          {fieldName('autoRegister')}
        </label>
      </div>
      {failure && <FailureNotice failure={failure} />}
      <button type="submit" class="primary" disabled={isBusy}>
        {before ? texts.save : texts.setUp.connectNow}
      </button>
    </form>
  )
}

/** The issuer, also of the address of its discovery document. */
const issuerOf = (text: string): string =>
  text.trim().replace(/\/\.well-known\/openid-configuration\/?(\?.*)?$/, '')
