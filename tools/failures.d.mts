export function vitestFailures(report: object, root: string): string[]
export function playwrightFailures(report: object): string[]
