export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly text: string | undefined
}
export const allowedLicences: ReadonlySet<string>
export function shippedPackages(): ShippedPackage[]
export function licenceText(): string
