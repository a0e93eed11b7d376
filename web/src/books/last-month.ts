/** The first and last day of the month before this one, in UTC: what an accountant asks for. */
export function lastMonth(): { readonly from: string; readonly to: string } {
  const now = new Date()
  const at = (month: number, day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), month, day)).toISOString().slice(0, 10)
  return { from: at(now.getUTCMonth() - 1, 1), to: at(now.getUTCMonth(), 0) }
}
