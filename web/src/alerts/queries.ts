/** How often the troubles are read again while somebody looks. */
export const troublePollMs = 15_000
/** What shows troubles. */
export const troublePaths = ['/api/troubles'] as const
export const rulePaths = ['/api/alert-rules'] as const
