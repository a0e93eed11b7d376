/** The object of an audit entry about an account. */
export function aboutUser(userId: number): { objectType: string; objectId: string } {
  return { objectType: 'user', objectId: String(userId) }
}
