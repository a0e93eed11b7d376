import { useEffect } from 'react'

/** The document's title: 'SMS Records · Tollgate'. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tollgate`
  }, [title])
}
