/** How often the alerts are read again while somebody looks. */
export const alertPollMs = 15_000
/** What shows alerts. */
export const alertPaths = ['/api/alerts'] as const
export const rulePaths = ['/api/alert-rules'] as const
