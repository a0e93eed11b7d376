import { lazy, type FunctionComponent, type LazyExoticComponent } from 'react'

export type LazyPage = LazyExoticComponent<FunctionComponent> & {
  /** Fetches the page's script ahead of time: when its link is pointed at. */
  readonly preload: () => Promise<void>
}

/** A page fetched when first needed: `lazyPage(() => import('./users/UsersPage.tsx'), 'UsersPage')`. */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
): LazyPage {
  const page = lazy(async () => ({ default: (await load())[name] }))
  return Object.assign(page, {
    // A failed fetch shows when the page itself is opened, with a way to try again.
    preload: () =>
      load().then(
        () => undefined,
        () => undefined,
      ),
  })
}
