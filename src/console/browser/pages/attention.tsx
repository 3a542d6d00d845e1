import type { ComponentChildren } from 'preact'
import {
  accessService,
  domainService,
  identityProviderService,
  membershipService,
  roleMappingService,
} from '../../../transport/wire.js'
import { Time, Until } from '../display.js'
import type { UserWithRoles } from '../held.js'
import { ProjectName, ProviderName, RoleName, RolesOf, UserName } from '../names.js'
import { usePermission } from '../permissions.js'
import { useRows } from '../query.js'
import { href } from '../router.js'
import { Say, say, sayCount, texts } from '../texts.js'

const DAY_MS = 24 * 60 * 60 * 1000
const WEEK_MS = 7 * DAY_MS
const MONTH_MS = 30 * DAY_MS
/** Most roles that are shown. */
const SHOWN = 10
/** Most rows of a list that are looked through. */
const MOST = 1000

interface WithSecret {
  readonly secretExpiresAt?: string
}

/** The users with roles, as far as the caller may see them. */
export const useUsers = () => {
  const isShown = usePermission('user.grant.read')
  return useRows<UserWithRoles>(accessService.listUsers, isShown ? { page_size: MOST } : undefined)
}

/** What somebody should look at; nothing without such. */
export const Attention = ({ users }: { readonly users: ReturnType<typeof useUsers> }) => {
  const mayReadProviders = usePermission('identity_provider.read')
  const mayReadDomains = usePermission('domain.read')
  const mayReadMappings = usePermission('role_mapping.read')
  const query = (isShown: boolean | undefined) => (isShown ? { page_size: MOST } : undefined)
  const providers = useRows(identityProviderService.listIdentityProviders, query(mayReadProviders))
  const domains = useRows(domainService.listDomains, query(mayReadDomains))
  const mappings = useRows(roleMappingService.listRoleMappings, query(mayReadMappings))
  const week = Date.now() + WEEK_MS
  const ending = (users.rows ?? []).flatMap(({ userId, roles }) =>
    roles
      .filter(({ expiresAt }) => expiresAt && Date.parse(expiresAt) < week)
      .map((role) => ({ userId, ...role })),
  )
  const pending = domains.rows?.filter(({ state }) => state === 'DOMAIN_STATE_PENDING') ?? []
  const sentTo = new Set(
    domains.rows?.filter((domain) => !pending.includes(domain)).map(({ idpId }) => idpId),
  )
  const month = Date.now() + MONTH_MS
  const secrets = (providers.rows ?? [])
    .map(({ idpId, signIn }) => ({ idpId: String(idpId), ...(Object(signIn) as WithSecret) }))
    .filter(({ secretExpiresAt }) => secretExpiresAt && Date.parse(secretExpiresAt) < month)
  const isKnown = domains.rows !== undefined && !domains.hasMore
  const unsent = isKnown ? (providers.rows?.filter(({ idpId }) => !sentTo.has(idpId)) ?? []) : []
  const mapped = [...new Set(mappings.rows?.map(({ idpId }) => String(idpId)))]
  const isPartial = [users, providers, domains, mappings].some(({ hasMore }) => hasMore)
  return (
    <section class="attention" aria-label={texts.attention}>
      <h2>{texts.attention}</h2>
      <ul>
        {ending.slice(0, SHOWN).map((role) => (
          <Point key={JSON.stringify(role)} to={href('user', { userId: role.userId })}>
            <RolesOf object={role}>
              <Say
                text={texts.endsSoon}
                name={<UserName id={role.userId} />}
                role={<RoleName roleKey={role.roleKey} />}
                project={<ProjectName {...role} />}
                until={<Until at={role.expiresAt ?? ''} />}
              />
            </RolesOf>
          </Point>
        ))}
        {ending.length > SHOWN && <li>{say(texts.andMore, { count: ending.length - SHOWN })}</li>}
        {secrets.map(({ idpId, secretExpiresAt = '' }) => (
          <Point key={`secret ${idpId}`} to={href('provider', { idpId })}>
            <Say
              text={Date.parse(secretExpiresAt) < Date.now() ? texts.secretEnded : texts.secretEnds}
              provider={<ProviderName id={idpId} />}
              time={<Time at={secretExpiresAt} />}
            />
          </Point>
        ))}
        {pending.map(({ domain }) => (
          <Point key={domain} to={href('domain', { domain })}>
            <Say text={texts.pendingDomain} domain={<bdi>{String(domain)}</bdi>} />
          </Point>
        ))}
        {unsent.map(({ idpId }) => (
          <Point key={idpId} to={href('provider', { idpId })}>
            <Say text={texts.nobodySent} provider={<ProviderName id={String(idpId)} />} />
          </Point>
        ))}
        {mapped.map((idpId) => (
          <Unreported key={idpId} idpId={idpId} />
        ))}
      </ul>
      {isPartial && <p class="none">{sayCount(texts.lookedAt, MOST)}</p>}
    </section>
  )
}

/** Says that no groups were reported by a provider whose groups have roles. */
const Unreported = ({ idpId }: { readonly idpId: string }) => {
  const mayRead = usePermission('membership.read')
  const query = { page_size: 1, 'filter.idp_id.equals': idpId }
  const { rows } = useRows(membershipService.listMemberships, mayRead ? query : undefined)
  if (rows?.length !== 0) return null
  return (
    <Point to={href('mappings')}>
      <Say text={texts.noReports} provider={<ProviderName id={idpId} />} />
    </Point>
  )
}

interface PointProps {
  readonly to: string
  readonly children: ComponentChildren
}

const Point = ({ to, children }: PointProps) => (
  <li>
    <a href={to}>{children}</a>
  </li>
)
