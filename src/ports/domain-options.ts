/** What the host knows of domains. The list of public suffixes is larger than this library, and changes. */
export interface DomainOptions {
  /**
   * Finds the TXT records at a name, each as the list of its texts, like `resolveTxt` of `node:dns/promises`. An error
   * with the code `ENODATA` or `ENOTFOUND` means that there are none; any other is `Unavailable`, as is no answer
   * within five seconds. When absent, `iam.domains.verify` is refused as `NotConfigured`.
   */
  readonly resolveTxt?: ((name: string) => Promise<readonly (readonly string[])[]>) | undefined
  /**
   * Whether everybody may register names under a domain, such as `com` or `co.uk`; it is in ASCII and lower case, and
   * has at least two labels. When absent, `iam.domains.add` is refused as `NotConfigured`.
   */
  readonly isPublicSuffix?: ((domain: string) => boolean) | undefined
}
