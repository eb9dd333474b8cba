"""
Do related languages count alike?
=================================

The numbers from one to ten are one string for each language, and a string kernel compares them by
their common pairs of letters. On the first two components of kernel PCA, Romance, Slavic and
Finnic languages form separate groups, with the Germanic ones between them.
"""

import matplotlib.pyplot as plt

from mercer import EmbeddingDisplay, KernelPCA

COUNTS = {
    "English": ("Germanic", "one two three four five six seven eight nine ten"),
    "German": ("Germanic", "eins zwei drei vier fünf sechs sieben acht neun zehn"),
    "Dutch": ("Germanic", "een twee drie vier vijf zes zeven acht negen tien"),
    "Swedish": ("Germanic", "ett två tre fyra fem sex sju åtta nio tio"),
    "Danish": ("Germanic", "en to tre fire fem seks syv otte ni ti"),
    "Spanish": ("Romance", "uno dos tres cuatro cinco seis siete ocho nueve diez"),
    "Italian": ("Romance", "uno due tre quattro cinque sei sette otto nove dieci"),
    "Portuguese": ("Romance", "um dois três quatro cinco seis sete oito nove dez"),
    "French": ("Romance", "un deux trois quatre cinq six sept huit neuf dix"),
    "Polish": ("Slavic", "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć"),
    "Czech": ("Slavic", "jeden dva tři čtyři pět šest sedm osm devět deset"),
    "Croatian": ("Slavic", "jedan dva tri četiri pet šest sedam osam devet deset"),
    "Finnish": (
        "Finnic",
        "yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen",
    ),
    "Estonian": ("Finnic", "üks kaks kolm neli viis kuus seitse kaheksa üheksa kümme"),
}
families, texts = (list(part) for part in zip(*COUNTS.values(), strict=True))
kpca = KernelPCA(2, kernel="normalize(spectrum(p=2))").fit(texts)
figure, ax = plt.subplots(figsize=(7.5, 5.5), layout="constrained")
EmbeddingDisplay.from_estimator(kpca, texts, families, labels=list(COUNTS), size=40, ax=ax)

plt.show()
