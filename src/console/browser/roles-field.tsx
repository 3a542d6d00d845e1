import { useId, useState } from 'preact/hooks'
import { projectGrantService, projectRoleService } from '../../transport/wire.js'
import { type Json, pathOf, type StoredObject } from './api.js'
import { Flag } from './button.js'
import { SearchField } from './choice.js'
import { readAll } from './csv.js'
import { EndInput } from './dates.js'
import { isOwn, type ProjectIds, roleNameOf } from './known.js'
import { Waiting } from './notice.js'
import { useQuery, useRows } from './query.js'
import { sayCount, texts } from './texts.js'
import type { RoleChoice } from './write.js'

export interface RoleOption {
  readonly roleKey: string
  readonly name: string
  readonly group: string
  readonly permissions: readonly string[]
}

const PAGE_SIZE = 1000
/** Roles that are drawn at a time, besides those that are chosen. */
const DRAWN = 60
/** Permissions of a role that are shown; of the others, the number. */
const SHOWN = 4

const shownOf = (permissions: readonly string[]): string => {
  const more = permissions.length - SHOWN
  return permissions.slice(0, SHOWN).join(', ') + (more > 0 ? ` +${more}` : '')
}

/** With more roles than these the list can be searched. */
const FEW = 8

const optionOf = ({ roleKey, displayName, group, permissions }: Json): RoleOption => ({
  roleKey: String(roleKey),
  name: String(displayName || roleKey),
  group: String(group ?? ''),
  permissions: (permissions ?? []) as readonly string[],
})

/** The roles that a user can be given: those of a project, or those that its organization has granted. */
export const useRolesOf = (project: ProjectIds, text = '') => {
  const { projectId, projectOrgId } = project
  const isForeign = !isOwn(project)
  const named = {
    'filter.display_name.contains': text,
    'filter.display_name.ignore_case': text && 'true',
  }
  const page = { pageSize: PAGE_SIZE, orderBy: 'display_name' }
  const filter = isForeign ? undefined : { projectId, ...page, ...named }
  const own = useRows(projectRoleService.listProjectRoles, filter, { keep: true })
  const { getReceivedProjectGrant } = projectGrantService
  const received = useQuery(
    isForeign ? pathOf(getReceivedProjectGrant, { projectId, projectOrgId }) : undefined,
  )
  const granted = received.body?.['receivedProject'] as StoredObject | undefined
  const rows = isForeign ? (granted?.['roles'] as readonly Json[] | undefined) : own.rows
  const query = isForeign ? { ...received, rows } : own
  return { query, roles: rows?.map(optionOf), hasMore: own.hasMore, more: own.more }
}

/** All roles of a project of the organization. */
export const readRoles = async ({ projectId }: ProjectIds) => {
  const all = await readAll<Json>(projectRoleService.listProjectRoles, { projectId })
  return 'failure' in all ? all : { roles: all.rows.map(optionOf) }
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
  // Those that were chosen at first are on top.
  const [first] = useState(() => chosen.map(({ roleKey }) => roleKey))
  // A project with more roles than a page is searched by the server.
  const [search, setSearch] = useState('')
  const { query, roles, hasMore } = useRolesOf(project, search)
  if (!roles) return <Waiting query={query} />
  const isSearched = hasMore || search !== ''
  const isChosen = (key: string) => chosen.some(({ roleKey }) => roleKey === key)
  const known = new Map(roles.map((role) => [role.roleKey, role]))
  const wanted = text.toLowerCase()
  const matching = roles.filter(
    (role) =>
      !first.includes(role.roleKey) &&
      [role.name, role.roleKey, role.group].some((each) => each.toLowerCase().includes(wanted)),
  )
  // A role stays in its place when it is chosen: the focus is on it.
  const others = matching.slice(0, DRAWN).toSorted((one, other) => compare(one.group, other.group))
  const drawn = new Set(others.map(({ roleKey }) => roleKey))
  const picked = [...new Set([...first, ...chosen.map(({ roleKey }) => roleKey)])]
    .filter((roleKey) => !drawn.has(roleKey))
    .map(
      (roleKey): RoleOption =>
        known.get(roleKey) ?? optionOf({ roleKey, displayName: roleNameOf(project, roleKey) }),
    )
  const groups = [...new Set(others.map(({ group }) => group))]
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
      <Flag isOn={isChosen(role.roleKey)} change={() => toggle(role.roleKey)}>
        <bdi title={role.roleKey}>{role.name}</bdi>{' '}
        {role.permissions.length > 0 && <bdi class="id">{shownOf(role.permissions)}</bdi>}
      </Flag>
      {hasExpiry && isChosen(role.roleKey) && (
        <EndInput
          role={role.name}
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
        <SearchField
          label={texts.findRoles}
          value={text}
          change={(value) => {
            setText(value)
            if (isSearched) setSearch(value)
          }}
        />
      )}
      <ul>
        {picked.map(item)}
        {groups.map((group) => [
          group && (
            <li class="kind" key={`group ${group}`}>
              <bdi>{group}</bdi>
            </li>
          ),
          ...others.filter((role) => role.group === group).map(item),
        ])}
      </ul>
      {roles.length === 0 && chosen.length === 0 && !isSearched && (
        <p class="none">{texts.emptyRoles}</p>
      )}
      {matching.length === 0 && text && <p class="none">{texts.noMatch}</p>}
      <p class="none" role="status">
        {chosen.length > 0 && sayCount(texts.chosen, chosen.length)}{' '}
        {(matching.length > DRAWN || hasMore) && texts.typeMore}
      </p>
      <p class="error" id={`${id}-error`} aria-live="polite">
        {error}
      </p>
    </fieldset>
  )
}

export const compare = (one: string, other: string): number =>
  one < other ? -1 : one > other ? 1 : 0
