/**
 * A telephone number as roles see it that may not know it: country and first digits stay, six in the middle go.
 * Spec §6 with the outside contract: the test role sees numbers masked.
 */
export function maskNumber(digits: string): string {
  const hiddenCount = Math.min(6, Math.max(digits.length - 2, 0))
  const shownCount = Math.min(4, digits.length - hiddenCount)
  return digits.slice(0, shownCount) + '*'.repeat(hiddenCount) + digits.slice(shownCount + hiddenCount)
}
