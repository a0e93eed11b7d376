import { lazy, type ComponentType, type LazyExoticComponent } from 'react'

export type LazyPage = LazyExoticComponent<ComponentType> & {
  /** Fetches the page's script ahead of time: when its link is pointed at. */
  readonly preload: () => void
}

/** A page fetched when first needed: `lazyPage(() => import('./users/UsersPage.tsx'), 'UsersPage')`. */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
): LazyPage {
  const page = lazy(async () => ({ default: (await load())[name] }))
  return Object.assign(page, {
    preload: () => {
      // A failed fetch shows when the page itself is opened, with a way to try again.
      load().catch(() => undefined)
    },
  })
}
