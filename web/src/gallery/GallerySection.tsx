import type { ReactNode } from 'react'

/** A titled block of samples. */
export function GallerySection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-3">
      <h2 className="border-b border-line pb-2 text-xs font-normal text-ink-3">{title}</h2>
      {children}
    </section>
  )
}
