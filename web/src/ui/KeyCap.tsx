/** A key cap. */
export function KeyCap({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-xs border border-line bg-surface-2 px-1 font-sans text-2xs text-ink-3">
      {children}
    </kbd>
  )
}
