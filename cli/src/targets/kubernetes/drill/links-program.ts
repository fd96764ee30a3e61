import { podLinks, type PodLinksOrder } from './links';

void podLinks(JSON.parse(process.argv[1] ?? '') as PodLinksOrder);
