/** Text within a page. */
const inHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${inHtml(title)}</title>
<h1>${inHtml(title)}</h1>${body}</html>`

/** What a button shows. */
export interface ProviderButton {
  readonly idpId: string
  readonly name: string
  readonly details: { readonly resourceOwner: string }
}

/** Asks for the address, or shows a button for each provider. */
export const loginPage = (providers: readonly ProviderButton[], message = ''): string =>
  page(
    'Sign in',
    `<p role="status">${inHtml(message)}</p>
<form method="post" action="/sign-in"><label>E-mail address <input type="email" name="email" required></label>
<button>Go on</button></form>
${providers
  .map(
    ({ idpId, name, details }) => `<form method="post" action="/sign-in">
<input type="hidden" name="orgId" value="${inHtml(details.resourceOwner)}">
<input type="hidden" name="idpId" value="${inHtml(idpId)}"><button>Sign in with ${inHtml(name)}</button></form>`,
  )
  .join('\n')}`,
  )

/** Who is signed in, and with which roles. */
export const homePage = (displayName: string, roleKeys: readonly string[]): string =>
  page(
    `Hello, ${displayName}`,
    `<p>Roles: ${inHtml(roleKeys.join(', '))}</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`,
  )

/** Why nobody is signed in. */
export const refusedPage = (reason: string): string =>
  page('Not signed in', `<p>${inHtml(reason)}</p><p><a href="/">Back</a></p>`)
