import { PageHeader } from '../ui/PageHeader.tsx'

/** The parts every screen is built from. */
export function GalleryPage() {
  return (
    <main className="mx-auto max-w-[90rem] space-y-6 px-9 py-7">
      <PageHeader title="Gallery">The parts every screen is built from</PageHeader>
    </main>
  )
}
