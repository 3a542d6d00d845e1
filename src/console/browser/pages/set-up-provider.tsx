import { useEffect, useState } from 'preact/hooks'
import { identityProviderService } from '../../../transport/wire.js'
import type { StoredObject } from '../api.js'
import { Button, CopyButton, Flag } from '../button.js'
import { TextField } from '../form.js'
import { FailureNotice } from '../notice.js'
import { useQuery } from '../query.js'
import { fieldName, Say, texts } from '../texts.js'
import { drawKey, useWrite } from '../write.js'

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
  /** Whether the provider of a link was removed: its id cannot be used again. */
  readonly isRemoved: boolean
  /** The id of the provider of a link; absent in the console, where another can be chosen. */
  readonly ownId?: string | undefined
}

/** Connects a provider, or continues with one that was connected before. */
export const ProviderStep = (props: ProviderStepProps) => {
  const { providers, isReading, chosen, choose, isFixed, isRemoved, ownId } = props
  const [kind, setKind] = useState('')
  const [drawn] = useState(() => drawKey(5))
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
  if (isRemoved) return <p class="notice">{texts.setUp.removed}</p>
  const idpId = ownId ?? `${kind}-${drawn}`
  const cancel = () => setEditing(false)
  const done = () => {
    cancel()
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
            <Flag key={each} group="kind" isOn={each === kind} change={() => setKind(each)}>
              {name}
            </Flag>
          ))}
        </fieldset>
      )}
      {(kind || chosen) && (
        <ProviderForm key={kind} {...{ kind, idpId, done, cancel }} before={chosen} />
      )}
    </>
  )
}

const ACTIVE = 'STATE_ACTIVE'

interface ProviderFormProps {
  /** Whose steps to show; empty for none. */
  readonly kind: string
  readonly idpId: string
  /** The provider to change; a new one is added when absent. */
  readonly before: StoredObject | undefined
  readonly done: () => void
  /** Leaves a change. */
  readonly cancel: () => void
}

/** The steps at the provider, and the form for its values. */
const ProviderForm = ({ kind, idpId, before, done, cancel }: ProviderFormProps) => {
  const { body } = useQuery(`/setUp?${new URLSearchParams({ idp_id: idpId })}`)
  const { send, failure, isBusy } = useWrite()
  const text = (field: string, initial: string) => String(before?.[field] ?? initial)
  const [values, setValues] = useState({
    name: text('name', kind === 'other' ? '' : (texts.setUpKinds[kind] ?? '')),
    issuer: text('issuer', ISSUERS[kind] ?? ''),
    clientId: text('clientId', ''),
    clientSecret: '',
    scopes: text('scopes', SCOPES).replaceAll(',', ' '),
    autoRegister: before?.['autoRegister'] === true,
  })
  // Another tab was faster: show what that has connected.
  useEffect(() => {
    if (failure?.reason === 'ALREADY_EXISTS') done()
  }, [failure])
  const redirectUri = body?.['redirectUri']
  // A stored secret is sent to the issuer alone that it was given for.
  const hasSecret = before?.['issuer'] === issuerOf(values.issuer)
  const connect = async (event: Event) => {
    event.preventDefault()
    const { addOidcIdentityProvider, patchIdentityProvider } = identityProviderService
    const saved = await send(before ? patchIdentityProvider : addOidcIdentityProvider, {
      ...{ idpId, ...values, issuer: issuerOf(values.issuer), clientId: values.clientId.trim() },
      clientSecret: values.clientSecret.trim() || undefined,
      scopes: values.scopes.split(/\s+/).filter(Boolean),
    })
    if (saved) done()
  }
  const field = (name: 'name' | 'issuer' | 'clientId' | 'clientSecret' | 'scopes') => ({
    value: values[name],
    change: (value: string) => setValues({ ...values, [name]: value }),
  })
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
      <TextField label={texts.setUp.name} {...field('name')} />
      <TextField
        label={texts.setUp.issuer}
        hint={texts.setUp.issuerHint}
        {...field('issuer')}
        change={(text) => setValues({ ...values, issuer: issuerOf(text) })}
      />
      <TextField label={texts.setUp.clientId} {...field('clientId')} />
      <TextField
        label={fieldName('clientSecret')}
        isSecret
        isOptional={hasSecret}
        {...(hasSecret && { hint: texts.secretHint })}
        {...field('clientSecret')}
      />
      <TextField label={fieldName('scopes')} {...field('scopes')} />
      <div class="field">
        <Flag
          isOn={values.autoRegister}
          change={(autoRegister) => setValues({ ...values, autoRegister })}
        >
          {fieldName('autoRegister')}
        </Flag>
      </div>
      {failure && <FailureNotice failure={failure} />}
      <Button text={before ? texts.save : texts.setUp.connectNow} look="primary" isOff={isBusy} />{' '}
      {before && <Button text={texts.cancel} onClick={cancel} />}
    </form>
  )
}

/** The issuer, also of the address of its discovery document. */
const issuerOf = (text: string): string =>
  text.trim().replace(/\/\.well-known\/openid-configuration\/?(\?.*)?$/, '')
