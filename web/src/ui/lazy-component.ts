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
    /** What stands there until its script has come; nothing unless said. */
    readonly waiting?: ReactNode
  }
> & {
  /** Fetches the script ahead of time. If that fails, it is fetched again when the part is drawn. */
  readonly preload: () => Promise<void>
}

/**
 * A part whose script is fetched apart: `lazyComponent(() => import('./users/UsersPage.tsx'), 'UsersPage')`. It is drawn as
 * soon as that is there. React.lazy holds back for up to 300 ms what comes after something else has stood there, and
 * keeps a failed fetch for good; here a failed one is thrown by that drawing alone, and the next fetches again.
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
    // What is left of the props when `waiting` is taken out are the part's own.
    return part ? createElement(part, props as unknown as Props) : waiting
  }
  return Object.assign(Lazy, { preload: () => fetchOnce().catch(() => undefined) })
}
