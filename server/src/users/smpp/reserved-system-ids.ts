// Names that an account must not bind as: our own, and those that say somebody else speaks.
const reserved = new Set([
  'tollgate',
  'admin',
  'administrator',
  'root',
  'system',
  'smsc',
  'smpp',
  'esme',
  'support',
  'operator',
  'gateway',
  'custom',
  'api',
])

/** Whether nobody may choose it, whatever its case and with whatever dots and dashes in it. */
export function isReservedSystemId(systemId: string): boolean {
  const bare = systemId.toLowerCase().replace(/[._@-]/g, '')
  // The form of those that are made up.
  return reserved.has(bare) || /^tg-/i.test(systemId) || bare === ''
}
