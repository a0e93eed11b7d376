/** Readiness checks by name; each is true when all is well. */
export type Checks = Readonly<Record<string, () => Promise<boolean> | boolean>>
