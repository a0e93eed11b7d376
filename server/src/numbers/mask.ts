/**
 * A telephone number for roles that may not see all of it: the first four digits stay, the next six become stars.
 * Spec §6 and the API contract: the test role sees masked numbers.
 */
export function maskNumber(digits: string): string {
  const hiddenCount = Math.min(6, Math.max(digits.length - 2, 0))
  const shownCount = Math.min(4, digits.length - hiddenCount)
  return digits.slice(0, shownCount) + '*'.repeat(hiddenCount) + digits.slice(shownCount + hiddenCount)
}
