// Adds query parameters to an address and leaves what stands in it as it was written: `%20`, `~` and a name without `=` are
// part of what the other side signs or compares.

/** The first of these names that the address has as a parameter of its own. */
export function parameterOf(address: string, names: readonly string[]): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { searchParams } = new URL(address)
  return names.find((name) => searchParams.has(name))
}

/** The address with these parameters behind its own; a fragment is no part of a call. */
export function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const [bare = ''] = address.split('#', 1)
  const added = new URLSearchParams(parameters).toString()
  const joint = !bare.includes('?') ? '?' : /[?&]$/.test(bare) ? '' : '&'
  return `${bare}${joint}${added}`
}
