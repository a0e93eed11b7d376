/** The backdrop of dialogs. */
export const overlayClass = 'fixed inset-0 z-40 bg-scrim transition-opacity duration-(--slow)'

/** The panel of a dialog: centred, on a phone a sheet from below. */
export const panelClass =
  'rise-in fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-1/2 flex-col ' +
  'rounded-xl bg-raised shadow-dialog outline-none [--status-icon-ground:var(--raised)] ' +
  'max-sm:top-auto max-sm:bottom-0 max-sm:left-0 max-sm:max-h-[92dvh] max-sm:w-full max-sm:translate-0 max-sm:rounded-b-none'
