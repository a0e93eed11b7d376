// system_ids that no account may choose: our own, and those that suggest the operator.
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
  'simulator',
])

/** Whether it is reserved, ignoring case, dots and dashes. */
export function isReservedSystemId(systemId: string): boolean {
  const bare = systemId.toLowerCase().replace(/[._@-]/g, '')
  // The form of generated ones.
  return reserved.has(bare) || /^tg-/i.test(systemId) || bare === ''
}
