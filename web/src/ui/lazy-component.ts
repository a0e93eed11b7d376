import {
  createElement,
  useEffect,
  useState,
  type ComponentType,
  type FunctionComponent,
  type ReactNode,
} from 'react'

export type LazyComponent<Props extends object> = FunctionComponent<
  Props & {
    /** Shown until the script has loaded. Nothing by default. */
    readonly waiting?: ReactNode
  }
> & {
  /** Loads the script ahead of time. If that fails, rendering loads it again. */
  readonly preload: () => Promise<void>
}

/**
 * A component with its own script: `lazyComponent(() => import('./users/UsersPage.tsx'), 'UsersPage')`. It is rendered
 * as soon as the script is loaded. React.lazy would delay it by up to 300 ms after a fallback, and would keep a failed
 * load forever. Here only that render throws, and the next one loads again.
 */
export function lazyComponent<Props extends object, Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
): LazyComponent<Props> {
  let part: ComponentType<Props> | undefined
  let fetched: Promise<void> | undefined
  const fetchOnce = () => {
    fetched ??= load().then(
      (script) => {
        part = script[name]
      },
      (error: unknown) => {
        fetched = undefined
        throw error
      },
    )
    return fetched
  }
  function Lazy({ waiting, ...props }: Props & { readonly waiting?: ReactNode }) {
    const [isHere, setHere] = useState(part !== undefined)
    const [failure, setFailure] = useState<Error>()
    useEffect(() => {
      if (!isHere) fetchOnce().then(() => setHere(true), setFailure)
    }, [isHere])
    if (failure) throw failure
    // The props without the fallback belong to the component.
    return part ? createElement(part, props as unknown as Props) : waiting
  }
  return Object.assign(Lazy, { preload: () => fetchOnce().catch(() => undefined) })
}
