// A resource is a part of the id of its project wherever ids are joined by `+`: in names of streams and keys of rows.

/**
 * A project id, and a resource of the project, as one text: `project,resource`. No id of a project has a comma, and the
 * text has no `+`. Texts sort as pairs of project and resource do, and a project before its resources, also when other
 * ids follow after a `+`: characters up to the comma, which is the one after the `+`, are written as a comma and two hex
 * digits.
 */
export const withResource = (projectId: string, resource: string | undefined): string =>
  resource === undefined ? projectId : `${projectId},${resource.replace(UP_TO_COMMA, escaped)}`

const UP_TO_COMMA = /[^\x2d-\uffff]/g

const escaped = (character: string): string =>
  `,${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** The project and the resource of a text that {@link withResource} made. */
export const splitResource = (
  path: string,
): { readonly projectId: string; readonly resource?: string } => {
  const comma = path.indexOf(',')
  if (comma === -1) return { projectId: path }
  const resource = path
    .slice(comma + 1)
    .replace(/,(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { projectId: path.slice(0, comma), resource }
}
