// What the settings page reads and changes.

/** Lists that show a rate. */
export const ratePaths = ['/api/admin/settings', '/api/admin/users', '/api/users'] as const
