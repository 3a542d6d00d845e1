import { useEffect, useRef } from 'preact/hooks'
import { identityProviderService } from '../../transport/wire.js'
import type { PageName } from './page-names.js'
import { findPeople } from './people.js'
import { usePermission } from './permissions.js'
import { type Option, Picker } from './picker.js'
import { findProjects, listOf, namedLike } from './project-picker.js'
import { go, href } from './router.js'
import { settings } from './settings.js'
import { texts } from './texts.js'

interface Place extends Option {
  readonly to: string
}

interface GoToProps {
  /** The pages that the caller may see. */
  readonly pages: readonly { readonly name: PageName; readonly title: string }[]
}

/** Most objects of a kind that are offered. */
const MOST = 5

/** Finds a page, a user, a project or a provider by its name, and opens it. Ctrl+K goes there. */
export const GoTo = ({ pages }: GoToProps) => {
  const box = useRef<HTMLDivElement>(null)
  const maySeeUsers = usePermission('user.grant.read') && settings.hasUsers
  const maySeeProjects = usePermission('project.read')
  const maySeeProviders = usePermission('identity_provider.read')
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      box.current?.querySelector('input')?.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  const find = async (text: string): Promise<readonly Place[]> => {
    if (!text) return []
    const wanted = text.toLowerCase()
    const [people, projects, providers] = await Promise.all([
      maySeeUsers ? findPeople(text) : [],
      maySeeProjects ? findProjects(text) : [],
      maySeeProviders ? listOf(identityProviderService.listIdentityProviders, namedLike(text)) : [],
    ])
    return [
      ...pages
        .filter(({ title }) => title.toLowerCase().includes(wanted))
        .map(({ name, title }) => ({ id: `/${name}`, name: title, to: href(name) })),
      ...people.slice(0, MOST).map(({ id, name, email }) => ({
        ...{ id: `user ${id}`, name, detail: email, to: href('user', { userId: id }) },
      })),
      ...projects.slice(0, MOST).map(({ id, name, projectId, projectOrgId }) => ({
        ...{ id: `project ${id}`, name, detail: texts.project },
        to: projectOrgId
          ? href('matrix', { projectId, projectOrgId })
          : href('project', { id: projectId }),
      })),
      ...providers.slice(0, MOST).map(({ idpId, name }) => ({
        ...{ id: `provider ${idpId}`, name: String(name), detail: texts.provider },
        to: href('provider', { idpId }),
      })),
    ]
  }
  return (
    <div ref={box} class="go-to" title="Ctrl+K">
      <Picker<Place>
        label={texts.goTo}
        chosen={[]}
        change={([place]) => place && go(place.to)}
        find={find}
      />
    </div>
  )
}
