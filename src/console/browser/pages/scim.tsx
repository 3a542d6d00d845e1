import { useState } from 'preact/hooks'
import { call, type Json, withQuery } from '../api.js'
import { Button, CopyButton } from '../button.js'
import { Dialog } from '../dialog.js'
import { Time } from '../display.js'
import { FailureNotice, Waiting } from '../notice.js'
import { usePermission } from '../permissions.js'
import { useQuery } from '../query.js'
import { Say, say, texts } from '../texts.js'
import { useWrite } from '../write.js'

/** A token as the host lists it. Times are in the form of RFC 3339. */
interface Token {
  readonly id: string
  readonly createdAt: string
  readonly lastUsedAt?: string
}

/** A request that was refused. */
interface Refused {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly detail: string
}

interface ScimProps {
  readonly idpId: string
  /** Whether tokens are only shown: a link may not change those of a provider that is switched on. */
  readonly isFixed?: boolean
}

/** SCIM of a provider: the URL, tokens and refused requests. Empty if the host serves no SCIM. */
export const Scim = ({ idpId, isFixed = false }: ScimProps) => {
  const path = withQuery('/scim', { idp_id: idpId })
  const query = useQuery(path)
  const mayWrite = usePermission('identity_provider.write') && !isFixed
  const { run, failure, isBusy } = useWrite()
  const [issued, setIssued] = useState<string | undefined>()
  const [ending, setEnding] = useState<Token | undefined>()
  const send = async (method: 'POST' | 'DELETE', id?: string): Promise<Json | undefined> => {
    const answer = await run(call({ method, path: withQuery(path, { id }) }))
    if (answer) query.reload()
    return answer
  }
  const issue = async () => {
    const answer = await send('POST')
    if (answer) setIssued(String(answer['token'] ?? ''))
  }
  const revoke = async (token: Token) => {
    await send('DELETE', token.id)
    setEnding(undefined)
    setIssued(undefined)
  }
  const { body } = query
  const url = body?.['url'] && String(body['url'])
  if (body && !url) return null
  const tokens = (body?.['tokens'] ?? []) as readonly unknown[] as readonly Token[]
  const refusals = (body?.['refusals'] ?? []) as readonly unknown[] as readonly Refused[]
  return (
    <section>
      <h2>{texts.scim.title}</h2>
      {!body && <Waiting query={query} of="line" />}
      {url && (
        <>
          <p>{texts.scim.about}</p>
          <p>
            <Say text={texts.scim.url} url={<code class="link">{url}</code>} />{' '}
            <CopyButton text={url} />
          </p>
          <ul>
            {tokens.map((token) => (
              <li key={token.id}>
                <TokenTimes {...token} />{' '}
                {mayWrite && <Button text={texts.revoke} onClick={() => setEnding(token)} />}
              </li>
            ))}
          </ul>
          {tokens.length === 0 && <p class="none">{texts.scim.none}</p>}
          {mayWrite && <Button text={texts.scim.issue} isOff={isBusy} onClick={issue} />}
          <div role="status">
            {issued && (
              <>
                <p>{texts.scim.issued}</p>
                <p>
                  <code class="link">{issued}</code> <CopyButton text={issued} />
                </p>
              </>
            )}
            {issued === '' && <p class="notice">{texts.scim.tooMany}</p>}
          </div>
          {failure && <FailureNotice failure={failure} />}
          {refusals.length > 0 && <Refusals refusals={refusals} />}
        </>
      )}
      {ending && (
        <Dialog
          title={texts.scim.revoke}
          close={() => setEnding(undefined)}
          submit={() => revoke(ending)}
          done={{ text: texts.revoke, isOff: isBusy, isDangerous: true }}
        >
          <p>{texts.scim.revokeEffect}</p>
          <p>
            <TokenTimes {...ending} />
          </p>
        </Dialog>
      )}
    </section>
  )
}

const TokenTimes = ({ createdAt, lastUsedAt }: Token) => (
  <>
    <Say text={texts.scim.token} time={<Time at={createdAt} />} />{' '}
    {lastUsedAt ? (
      <Say text={texts.scim.lastUsed} time={<Time at={lastUsedAt} />} />
    ) : (
      texts.scim.unused
    )}
  </>
)

const Refusals = ({ refusals }: { readonly refusals: readonly Refused[] }) => (
  <>
    <h3>{texts.scim.refused}</h3>
    <ul>
      {refusals.map(({ at, method, path, status, detail }) => (
        <li key={`${at} ${path}`}>
          <Time at={at} /> <code class="link">{`${method} ${path}`}</code>{' '}
          <bdi>{say(texts.scim.refusal, { status, detail })}</bdi>
        </li>
      ))}
    </ul>
  </>
)
