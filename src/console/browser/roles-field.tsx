import { useId, useState } from 'preact/hooks'
import { projectGrantService, projectRoleService } from '../../transport/wire.js'
import type { JsonValue } from './api.js'
import { DateInput } from './dates.js'
import { Waiting } from './notice.js'
import { useRows } from './query.js'
import { say, sayCount, texts } from './texts.js'
import type { RoleChoice } from './write.js'

/** A project by its ids. */
export interface ProjectIds {
  readonly projectId: string
  /** The organization of the project. Default: the current one. */
  readonly projectOrgId?: JsonValue | undefined
}

export interface RoleOption {
  readonly roleKey: string
  readonly name: string
  readonly group: string
}

/** The group of a provider that a role comes from. */
export interface RoleSource {
  readonly idpId: string
  readonly group: string
}

/** How a user has a role: given by hand, or by a group. */
export const viaOf = ({ via }: { readonly via?: RoleSource | undefined }): string =>
  via ? say(texts.viaGroup, { group: via.group }) : texts.direct

const PAGE_SIZE = 1000
/** Roles that are drawn at a time, besides those that are chosen. */
const DRAWN = 60
/** With more roles than these the list can be searched. */
const FEW = 8

/** The roles that a user can be given: those of a project, or those that its organization has granted. */
export const useRolesOf = ({ projectId, projectOrgId }: ProjectIds, text = '') => {
  const named = {
    'filter.display_name.contains': text,
    'filter.display_name.ignore_case': text && 'true',
  }
  const page = { pageSize: PAGE_SIZE, orderBy: 'display_name' }
  const asked = { projectId, ...page, ...named }
  const own = useRows(projectRoleService.listProjectRoles, asked, { keep: true })
  const owner = own.rows?.[0]?.details.resourceOwner
  const isForeign =
    projectOrgId !== undefined &&
    (own.failure?.status === 404 || (owner ?? projectOrgId) !== projectOrgId)
  const ids = {
    'filter.project_id.equals': projectId,
    'filter.project_org_id.equals': projectOrgId,
  }
  const granted = useRows(
    projectGrantService.listReceivedProjectGrants,
    isForeign ? ids : undefined,
  )
  const query = isForeign ? granted : own
  const keys = (granted.rows?.[0]?.['roleKeys'] ?? []) as readonly string[]
  const roles = isForeign
    ? keys.map((roleKey): RoleOption => ({ roleKey, name: roleKey, group: '' }))
    : own.rows?.map(
        ({ roleKey, displayName, group }): RoleOption => ({
          roleKey: String(roleKey),
          name: String(displayName || roleKey),
          group: String(group ?? ''),
        }),
      )
  return { query, roles: query.rows && roles, hasMore: !isForeign && own.hasMore }
}

interface RolesFieldProps {
  readonly label: string
  readonly project: ProjectIds
  readonly chosen: readonly RoleChoice[]
  readonly change: (chosen: readonly RoleChoice[]) => void
  readonly hasExpiry?: boolean
  readonly error?: string | undefined
}

/** Picks roles of a project from a list, by name and group, each with an expiry. */
export const RolesField = (props: RolesFieldProps) => {
  const { label, project, chosen, change, hasExpiry = false, error } = props
  const id = useId()
  const [text, setText] = useState('')
  // A project with more roles than a page is searched by the server.
  const [search, setSearch] = useState('')
  const { query, roles, hasMore } = useRolesOf(project, search)
  if (!roles) return <Waiting query={query} />
  const isSearched = hasMore || search !== ''
  const isChosen = (key: string) => chosen.some(({ roleKey }) => roleKey === key)
  const known = new Map(roles.map((role) => [role.roleKey, role]))
  const picked = chosen.map(
    ({ roleKey }): RoleOption => known.get(roleKey) ?? { roleKey, name: roleKey, group: '' },
  )
  const wanted = text.toLowerCase()
  const matching = roles.filter(
    (role) =>
      !isChosen(role.roleKey) &&
      [role.name, role.roleKey, role.group].some((each) => each.toLowerCase().includes(wanted)),
  )
  const others = matching.slice(0, DRAWN).toSorted((one, other) => compare(one.group, other.group))
  const toggle = (key: string) =>
    change(
      isChosen(key)
        ? chosen.filter(({ roleKey }) => roleKey !== key)
        : [...chosen, { roleKey: key }],
    )
  const setEnd = (key: string, expiresAt: string) =>
    change(
      chosen.map((role) =>
        role.roleKey === key ? { roleKey: key, ...(expiresAt && { expiresAt }) } : role,
      ),
    )
  const item = (role: RoleOption) => (
    <li key={role.roleKey}>
      <label class="flag">
        <input
          type="checkbox"
          checked={isChosen(role.roleKey)}
          onChange={() => toggle(role.roleKey)}
        />
        <span>
          <bdi>{role.name}</bdi>{' '}
          {role.name !== role.roleKey && <bdi class="id">{role.roleKey}</bdi>}
          {role.group && <bdi class="group">{role.group}</bdi>}
        </span>
      </label>
      {hasExpiry && isChosen(role.roleKey) && (
        <DateInput
          text={texts.untilLabel}
          label={say(texts.untilOf, { role: role.name })}
          at={chosen.find(({ roleKey }) => roleKey === role.roleKey)?.expiresAt ?? ''}
          change={(at) => setEnd(role.roleKey, at)}
        />
      )}
    </li>
  )
  return (
    <fieldset class="field roles" aria-describedby={`${id}-error`}>
      <legend>{label}</legend>
      {(roles.length > FEW || isSearched) && (
        <input
          type="search"
          aria-label={texts.findRoles}
          placeholder={texts.findRoles}
          maxLength={200}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value)
            if (isSearched) setSearch(value)
          }}
        />
      )}
      <ul>
        {picked.map(item)}
        {others.map(item)}
      </ul>
      {roles.length === 0 && chosen.length === 0 && !isSearched && (
        <p class="none">{texts.emptyRoles}</p>
      )}
      {matching.length === 0 && text && <p class="none">{texts.noMatch}</p>}
      <p class="none" role="status">
        {chosen.length > 0 && sayCount(texts.chosen, chosen.length)}{' '}
        {(matching.length > DRAWN || hasMore) && texts.typeMore}
      </p>
      <p class="error" id={`${id}-error`}>
        {error}
      </p>
    </fieldset>
  )
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
