/** A right that a method asks for. Spec: Authentication, "permission on the target resource". */
export type Permission =
  | 'identity_provider.read'
  | 'identity_provider.write'
  | 'identity_provider.secret.read'
  | 'project.read'
  | 'project.write'
  | 'project.role.read'
  | 'project.role.write'
  | 'event.read'
