import { useEffect, useState } from 'preact/hooks'
import { call, type Failure, type Json, type JsonValue } from './api.js'
import { Button } from './button.js'
import { Dialog } from './dialog.js'
import { roleNameOf } from './known.js'
import { projectTitleOf } from './names.js'
import { FailureNotice } from './notice.js'
import { fieldName, texts } from './texts.js'

/** What came back from a provider, as `preview` of `claviger/oidc` returns it. */
interface Previewed {
  readonly user: {
    readonly orgId: string
    readonly idpId: string
    readonly claims: Json
    readonly groups?: readonly string[] | 'unavailable'
  }
  readonly unmetRules: readonly { readonly claim: string; readonly values: readonly string[] }[]
  readonly mappings: readonly {
    readonly group: string
    readonly projectId: string
    readonly projectOrgId?: string
    readonly resource?: string
    readonly roleKeys: readonly string[]
  }[]
}

/** The page of the callback sends what came; the same name stands in `claviger/oidc`. */
const CHANNEL = 'claviger preview'

/** Previews a sign-in in another window, and shows what came. Nobody is signed in and nothing is recorded. */
export const PreviewSignIn = ({ idpId }: { readonly idpId: string }) => {
  const [previewed, setPreviewed] = useState<Previewed | undefined>()
  const [failure, setFailure] = useState<Failure | undefined>()
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<Previewed>) => {
      if (data.user?.idpId !== idpId) return
      setPreviewed(data)
      channel.postMessage({ shown: idpId })
    }
    return () => channel.close()
  }, [idpId])
  const begin = async () => {
    setFailure(undefined)
    // Opened at once: browsers block a window that opens later.
    const opened = window.open('about:blank')
    const path = `/preview?${new URLSearchParams({ idp_id: idpId })}`
    const begun = await call({ method: 'POST', path, keepsCookies: true })
    if ('failure' in begun) {
      opened?.close()
      return setFailure(begun.failure)
    }
    if (!opened) return window.location.assign(String(begun.body['url']))
    opened.opener = null
    opened.location.href = String(begun.body['url'])
  }
  return (
    <>
      <p>
        {texts.previewSignIn.about} <Button text={texts.previewSignIn.begin} onClick={begin} />
      </p>
      {failure && <FailureNotice failure={failure} />}
      {previewed && <Shown previewed={previewed} close={() => setPreviewed(undefined)} />}
    </>
  )
}

interface ShownProps {
  readonly previewed: Previewed
  readonly close: () => void
}

const Shown = ({ previewed: { user, unmetRules, mappings }, close }: ShownProps) => {
  const { claims, groups } = user
  return (
    <Dialog title={texts.previewSignIn.title} leave={texts.close} close={close} submit={close}>
      <p class="notice" role="status">
        {unmetRules.length === 0 ? texts.previewSignIn.mayEnter : texts.previewSignIn.mayNotEnter}{' '}
        {texts.previewSignIn.nothing}
      </p>
      {unmetRules.length > 0 && (
        <ul>
          {unmetRules.map(({ claim, values }) => (
            <li key={claim}>
              <code>{claim}</code>: {values.join(', ')}
            </li>
          ))}
        </ul>
      )}
      <h3>{fieldName('groups')}</h3>
      {Array.isArray(groups) && groups.length > 0 ? (
        <ul>
          {groups.map((group) => (
            <li key={group}>
              <bdi>{group}</bdi>
              {mappings.filter((each) => each.group === group).map(mappedTo)}
            </li>
          ))}
        </ul>
      ) : (
        <p class="none">
          {groups === 'unavailable'
            ? texts.previewSignIn.unavailable
            : texts.previewSignIn.noGroups}
        </p>
      )}
      <h3>{texts.previewSignIn.claims}</h3>
      <dl>
        {Object.entries(claims).map(([name, value]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <bdi>{textOf(value)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

const mappedTo = ({ resource, roleKeys, ...project }: Previewed['mappings'][number]): string => {
  const scope = [projectTitleOf(project), resource].filter(Boolean).join(' · ')
  return ` → ${scope}: ${roleKeys.map((roleKey) => roleNameOf(project, roleKey)).join(', ')}`
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
